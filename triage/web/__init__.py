"""The pages in the browser: the desk of projects, and the review page of a queue."""
