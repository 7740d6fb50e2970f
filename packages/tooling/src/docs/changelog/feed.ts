import type { ContractDocument } from '../../contract/document.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { escapeHtml } from '../shell/markup.ts';
import type { SiteFile } from '../site-file.ts';
import { entriesOf } from './changelog.ts';

export const feedPath = 'changelog.atom';

/**
 * The releases as an Atom feed (RFC 4287). Identifiers in a feed are absolute, so its URLs are those of the production server of the
 * contract. Unreleased changes are left out.
 */
export function changelogFeed(contract: ContractDocument, changelog: string): SiteFile {
  const docs = docsUrl(contract);
  const { headings } = renderMarkdown(changelog);
  const entries = entriesOf(changelog).flatMap((entry) => {
    const [heading = '', version, day] = /^## (\S+) \((\d{4}-\d{2}-\d{2})\)\n/.exec(entry) ?? [];
    if (version === undefined || day === undefined) return [];
    const id = headings.find(({ title }) => title === `${version} (${day})`)?.id ?? '';
    return [
      {
        version,
        updated: `${day}T00:00:00Z`,
        url: `${docs}changelog.html#${id}`,
        markdown: entry.slice(heading.length),
      },
    ];
  });
  const { title, contact } = contract.info;
  const content = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeHtml(title)} API changelog</title>
<id>${docs}changelog.html</id>
<link rel="self" type="application/atom+xml" href="${docs}${feedPath}"/>
<link rel="alternate" type="text/html" href="${docs}changelog.html"/>
<author><name>${escapeHtml(contact.name)}</name></author>
<updated>${entries[0]?.updated ?? ''}</updated>
${entries.map((entry) => entryElement(entry, docs)).join('\n')}
</feed>
`;
  return { path: feedPath, content };
}

function entryElement(
  entry: { version: string; updated: string; url: string; markdown: string },
  docs: string,
): string {
  return `<entry>
<title>Version ${entry.version}</title>
<id>${entry.url}</id>
<link rel="alternate" type="text/html" href="${entry.url}"/>
<updated>${entry.updated}</updated>
<content type="html" xml:base="${docs}">${escapeHtml(renderMarkdown(entry.markdown).html)}</content>
</entry>`;
}

/** The URL of these docs on the production server, for the few files whose format requires absolute URLs. */
export function docsUrl({ servers }: ContractDocument): string {
  return new URL('/docs/', servers[0]?.url).href;
}
