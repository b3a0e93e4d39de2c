"""The desk: a project goes from a file to a publishable corpus in the browser."""
