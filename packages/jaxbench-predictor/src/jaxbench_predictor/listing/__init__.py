"""Reads the VLIW schedules that libtpu prints. Imports no JAX.

A listing has one line per bundle, one bundle per cycle, latencies shown as empty bundles:

    0x30   : > { %4 = dma.done.wait (%p1_p8), %s2_s30, 131072 /* ... */  ;;  %s7_s3 = sadd.s32 1, %s5_s9 } /* ... */

The index is hexadecimal and dense; `>` repeats with loop depth; operations of a bundle issue together; comments nest
and may span lines.
"""
