import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../project.ts';

/** What the docs say about the API besides the contract and the guides. */
export type SiteSettings = {
  /** Shapes of an SVG in a box of 32 by 32, with single quotation marks. */
  logo?: string;
  home: {
    heading: string;
    text: string;
    /** The call that the home page shows: a GET without path parameters, and its query, such as `limit=2`. */
    operation: string;
    query: string;
  };
  /** The guides by their group, in the order of the menu. */
  menu: Record<string, readonly string[]>;
  /** Words that readers use, separated by `|`, and the words of the docs for the same thing. */
  synonyms: Record<string, string>;
  /** By operation, the operations that a sample needs to run before it, besides the one that creates the resource in its path. */
  needs: Record<string, readonly string[]>;
};

/** docs/site.yaml of the project. */
export const siteSettings: SiteSettings = parse(readFileSync(join(root, 'docs/site.yaml'), 'utf8'));
