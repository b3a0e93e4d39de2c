"""The learnt model: what it is learnt from, how it is stored, and the shipped one."""
