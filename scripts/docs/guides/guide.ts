/** A guide of the docs. */
export type Guide = {
  /** What its files are called: `keys` is guides/keys.html and guides/keys.md. */
  name: string;
  title: string;
  /** Its first paragraph, as plain text: for the home page, search engines, and llms.txt. */
  description: string;
  /** The whole text, with its heading and everything inserted; links lead to other guides' Markdown. */
  markdown: string;
  /** The heading under which the menu lists it. */
  group: string;
};

/** A guide as it is written, before the contract's facts are in it. */
export type GuideSource = {
  name: string;
  group: string;
  /** The file, seen from the project's folder: for messages. */
  file: string;
  text: string;
};

/** Something wrong in a guide: where, what, and what to do. */
export class GuideError extends Error {
  override name = 'GuideError';

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
  }
}
