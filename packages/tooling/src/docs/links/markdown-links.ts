import { posix } from 'node:path';
import type { SiteFile } from '../site-file.ts';

/** The text of a Markdown file with other links, except for those in code and to other hosts. */
export function mapLinks(markdown: string, change: (link: string) => string): string {
  return markdown
    .split(/(^```[\s\S]*?^```)/m)
    .map((text, place) =>
      place % 2 === 1 ? text : text.replaceAll(/\]\(([^()\s:]+)\)/g, (_whole, link: string) => `](${change(link)})`),
    )
    .join('');
}

/** The files of a site, in which Markdown links to the Markdown of each page that has it, because programs read both. */
export function withMarkdownLinks(files: readonly SiteFile[]): SiteFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.map((file) => {
    const { path, content } = file;
    if (typeof content !== 'string' || !/\.(?:md|txt)$/.test(path)) return file;
    const linked = mapLinks(content, (link) => {
      const [address = ''] = link.split('#');
      const inMarkdown = address.replace(/\.html$/, '.md');
      const target = posix.join(posix.dirname(path), inMarkdown);
      // A page that links to its own HTML means what only HTML has, such as a form.
      return paths.has(target) && target !== path ? inMarkdown + link.slice(address.length) : link;
    });
    return { ...file, content: linked };
  });
}
