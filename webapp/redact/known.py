"""Names that any recording may hold and that tell nothing of whoever made it: of headers, of kinds of media.

Rules of this file: closed lists. A name that is missing is taken out; it is added here only if a public specification,
or the service of Microsoft Teams, gives it.
"""

from __future__ import annotations

import re

_HEADERS = """
    accept accept-charset accept-encoding accept-language accept-ranges access-control-allow-credentials
    access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers
    access-control-max-age age allow alt-svc authorization cache-control client-request-id connection
    content-disposition content-encoding content-language content-length content-location content-range
    content-security-policy content-type cookie date etag expect expires from host if-match if-modified-since
    if-none-match if-unmodified-since keep-alive last-event-id last-modified link location mise-correlation-id ms-cv
    nel origin permissions-policy pragma priority proxy-authenticate proxy-authorization range ratelimit
    ratelimit-limit ratelimit-policy ratelimit-remaining ratelimit-reset referer referrer-policy report-to request-id
    retry-after scenario-tag sec-fetch-dest sec-fetch-mode sec-fetch-site server server-timing set-cookie
    strict-transport-security te timing-allow-origin traceparent tracestate trailer transfer-encoding upgrade
    user-agent vary via warning www-authenticate x-accel-buffering x-azure-ref x-cache x-content-type-options
    x-correlation-id x-forwarded-for x-forwarded-host x-forwarded-proto x-frame-options x-ms-client-request-id
    x-ms-conversation-id x-ms-correlation-id x-ms-request-id x-ms-tenant-id x-msedge-ref x-powered-by
    x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-real-ip x-request-id x-retry-after x-trace-id
    x-xss-protection"""
_MEDIA = """
    application/gzip application/javascript application/json application/json-patch+json application/json-seq
    application/jsonl application/ld+json application/msword application/ndjson application/octet-stream
    application/pdf application/problem+json application/rtf application/x-jsonlines application/x-ndjson
    application/x-protobuf application/x-www-form-urlencoded application/x-zip-compressed application/xhtml+xml
    application/xml application/zip
    application/vnd.ag-ui.event+proto application/vnd.ms-excel application/vnd.ms-powerpoint
    application/vnd.oasis.opendocument.presentation application/vnd.oasis.opendocument.spreadsheet
    application/vnd.oasis.opendocument.text
    application/vnd.openxmlformats-officedocument.presentationml.presentation
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
    application/vnd.openxmlformats-officedocument.wordprocessingml.document
    application/vnd.microsoft.card.adaptive application/vnd.microsoft.card.animation
    application/vnd.microsoft.card.audio application/vnd.microsoft.card.hero application/vnd.microsoft.card.oauth
    application/vnd.microsoft.card.receipt application/vnd.microsoft.card.signin
    application/vnd.microsoft.card.thumbnail application/vnd.microsoft.card.video
    application/vnd.microsoft.teams.card.list application/vnd.microsoft.teams.card.o365connector
    application/vnd.microsoft.teams.card.person application/vnd.microsoft.teams.file.download.info
    application/vnd.microsoft.teams.file.consent application/vnd.microsoft.teams.file.info
    application/vnd.microsoft.teams.card.file.consent application/vnd.microsoft.teams.card.file.info
    application/vnd.microsoft.teams.messaging-announcementbanner
    audio/aac audio/flac audio/mp3 audio/mp4 audio/mpeg audio/ogg audio/opus audio/wav audio/webm audio/x-wav
    font/otf font/ttf font/woff font/woff2
    image/avif image/bmp image/gif image/heic image/heif image/jpeg image/jpg image/png image/svg+xml image/tiff
    image/webp image/x-icon
    text/calendar text/css text/csv text/event-stream text/html text/javascript text/markdown text/plain
    text/rtf text/tab-separated-values text/vcard text/x-markdown text/xml text/yaml
    video/mp4 video/mpeg video/ogg video/quicktime video/webm"""
HEADERS = frozenset(_HEADERS.split())  # compared in small letters
# in any letters, as the standard has it; the longest first, since one may be the beginning of another
MIME = re.compile("(?i:" + "|".join(map(re.escape, sorted(_MEDIA.split(), key=len, reverse=True))) + ")")
CONTENT_TYPE = re.compile(
    MIME.pattern + r"(?![\w.+-])"
    r"(?:; ?charset=(?i:utf-8|utf-16|us-ascii|iso-8859-\d{1,2}|windows-\d{3,4})(?![\w.-]))?"
)
