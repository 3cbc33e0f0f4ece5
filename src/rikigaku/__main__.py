"""`python -m rikigaku` is the command `rikigaku`."""

import sys

from rikigaku.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
