import type { Token } from 'markdown-it';

export type Heading = {
  level: number;
  id: string;
  title: string;
  /** The plain text between it and the next heading. */
  text: string;
  /** The code blocks in that text. */
  code: string;
};

/** Adds an ID to each heading below the first level, and returns the text of each section. Modifies the tokens. */
export function nameHeadings(tokens: readonly Token[]): Heading[] {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const title = plainText(inline);
      const id = freeName(slug(title), taken);
      headings.push({ level: Number(token.tag.slice(1)), id, title, text: '', code: '' });
      if (token.tag === 'h1') continue;
      token.attrSet('id', id);
      const close = tokens[index + 2];
      if (close !== undefined) close.meta = { id };
    } else if (isText(token) && tokens[index - 1]?.type !== 'heading_open') {
      const current = headings.at(-1);
      const part = token.type === 'fence' ? 'code' : 'text';
      if (current !== undefined) current[part] = `${current[part]} ${plainText(token)}`.trim();
    }
  }
  return headings;
}

function isText(token: Token): boolean {
  return token.type === 'inline' || token.type === 'fence';
}

function plainText(token: Token): string {
  if (token.children === null || token.children.length === 0) return token.content;
  return token.children.map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('');
}

/** `Bans` as `bans`, `rate_limited` unchanged, `What to do on a 429` as `what-to-do-on-a-429`. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}
