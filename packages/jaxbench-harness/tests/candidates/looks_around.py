import json
import os
import stat
from pathlib import Path

found = {
    "cwd": str(Path.cwd()),
    "files": [path.name for path in Path().iterdir()],
    "mode": stat.S_IMODE(Path().stat().st_mode),
    "home": str(Path.home()),
    "session": os.getsid(0) == os.getpid(),
}
raise RuntimeError(json.dumps(found))
