//! Unix filters that record any agent's conversation as a transcript that agent programs resume.
