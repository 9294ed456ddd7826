/** A registry with an optional port, and a repository name; no tag, since that is the version. */
export const REPOSITORY_FORM =
  /^(?:[\w.-]+(?::\d+)?\/)?[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*)*$/;
