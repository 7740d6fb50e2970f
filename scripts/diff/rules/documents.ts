/** The two documents that a rule compares. */
export type Documents = {
  released: unknown;
  current: unknown;
  /** A removal that was announced for an earlier time breaks nothing. */
  today: Date;
};
