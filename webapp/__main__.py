"""`python -m webapp`: the same as `lanescope`."""

from webapp.cli import main

if __name__ == "__main__":
    main()
