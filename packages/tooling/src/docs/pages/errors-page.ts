import type { ContractDocument } from '../../contract/document.ts';
import { table } from '../facts/words.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** Every error code in a table. The ID of a row is its code, so that responses can link to it. */
export function errorsPage({ components, info }: ContractDocument): SiteFile[] {
  const rows = Object.entries(components.schemas.ErrorCode['x-codes']).map(([code, { status, cause, action }]) => [
    `\`${code}\``,
    String(status),
    cause,
    action,
  ]);
  const markdown = `# Error codes

Every error response has one of these codes. To handle them in your program, see [Errors](guides/errors.html).

${table(['Code', 'Status', 'Cause', 'What to do'], rows)}
`;
  const html = renderMarkdown(markdown).html.replaceAll(
    /<tr( role="row">\n<td [^>]*>)(<code>(\w+)<\/code>)/g,
    '<tr id="$3"$1<a href="#$3">$2</a>',
  );
  const page = sitePage({
    path: 'errors.html',
    title: 'Error codes',
    description: `Every error code of the ${info.title} API, with its status, its cause and what to do about it.`,
    section: 'errors',
    head: '<link rel="alternate" type="text/markdown" href="errors.md">\n',
    body: `<main id="content" class="errors prose" tabindex="-1">
${markdownLine('errors.md')}
${html}</main>`,
  });
  return [page, { path: 'errors.md', content: markdown }];
}
