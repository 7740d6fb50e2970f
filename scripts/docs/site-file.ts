/** A file of the docs as a host delivers it. */
export type SiteFile = {
  /** Where it stands below dist/docs, such as `guides/keys.html`. */
  path: string;
  content: string | Uint8Array;
  /** For the header of a page's reply. It says what the page's own meta element says, and what only a header can. */
  contentSecurityPolicy?: string;
};
