/** A file of the docs as a host serves it. */
export type SiteFile = {
  /** The path below dist/docs, such as `guides/keys.html`. */
  path: string;
  /** Text may contain `originPlaceholder`. */
  content: string | Uint8Array;
  /**
   * The policy for the response header of a page: that of the page's meta element, and directives that only a header can
   * have.
   */
  contentSecurityPolicy?: string;
};
