import sys

for _ in range(80):
    sys.stdout.write("start " + "x" * 65530)
sys.stdout.write("\nthe end\n")
raise RuntimeError("printed 5 MB")
