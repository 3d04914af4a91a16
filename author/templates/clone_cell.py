# @title In Google Colab, run this cell first: it fetches the course. Elsewhere it does nothing.
import sys

keep_on_drive = False  # @param {type:"boolean"}

if "google.colab" in sys.modules:
    import shutil
    import subprocess
    from pathlib import Path

    course, partial = Path("/content/NAME"), Path("/content/NAME.partial")
    if not course.exists():
        print("Fetching the course, about half a minute. This happens once for a runtime.", flush=True)
        shutil.rmtree(partial, ignore_errors=True)
        source = "https://github.com/OWNER/NAME"
        git = ["git", "clone", "--quiet", "--depth", "1", "--branch", "BRANCH", source, str(partial)]
        fetched = subprocess.run(git, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if fetched.returncode:
            advice = "Run this cell again; if it stays so, this runtime has no network, or the address is wrong."
            raise ConnectionError(f"{source} could not be fetched. {advice}\n{fetched.stderr}")
        partial.rename(course)
    sys.path.insert(0, str(course))
    from utils.learner.colab import prepare

    prepare(keep_on_drive)
