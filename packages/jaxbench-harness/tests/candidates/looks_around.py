import json
import os
import stat

found = {
    "cwd": os.getcwd(),
    "files": os.listdir("."),
    "mode": stat.S_IMODE(os.stat(".").st_mode),
    "home": os.path.expanduser("~"),
    "session": os.getsid(0) == os.getpid(),
}
raise RuntimeError(json.dumps(found))
