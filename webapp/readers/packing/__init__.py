"""What a file is packed in: gzip, zstd, zip; and encodings other than UTF-8."""
