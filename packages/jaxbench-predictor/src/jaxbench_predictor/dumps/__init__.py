"""Makes libtpu print its schedules, in a process of its own, and reads what it printed."""
