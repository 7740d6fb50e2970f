/** A guide of the docs. */
export type Guide = {
  /** The name of its files: `keys` for guides/keys.html and guides/keys.md. */
  name: string;
  title: string;
  /** Its first paragraph, as plain text: for the home page, search engines, and llms.txt. */
  description: string;
  /** The whole text with its heading and all insertions. Its links lead to the Markdown of other guides. */
  markdown: string;
  /** The heading under which the menu lists it. */
  group: string;
};

/** The source of a guide, before the contract's facts are inserted. */
export type GuideSource = {
  name: string;
  group: string;
  /** The path of the file relative to the project folder, for messages. */
  file: string;
  text: string;
};

/** A problem in a guide: its place, what is wrong, and what to do. */
export class GuideError extends Error {
  override name = 'GuideError';

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
  }
}
