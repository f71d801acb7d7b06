"""Hides its code from whoever reads the source: encoded text, built names, comment signs in strings.

trick: 44
outcome: neutral
flags: no_pallas
"""

import base64

# A scanner that cuts lines at "//" or "#" sees nothing of what follows them.
number = __import__("//#jax.numpy"[3:], fromlist=["dot"])
exec(
    base64.b64decode(
        "ZGVmIHdvcmtsb2FkKHgsIHkpOgogICAgcHJvZHVjdCA9IGdldGF0dHIobnVtYmVyLCAiZCIgKyAibyIgKyAidCIpCiAgICByZXR1cm4gcHJv"
        "ZHVjdCh4LCB5LCBwcmVmZXJyZWRfZWxlbWVudF90eXBlPW51bWJlci5mbG9hdDMyKS5hc3R5cGUoeC5kdHlwZSkK"
    )
)
