import { posix } from 'node:path';
import type { ContractDocument } from '../../contract/document.ts';
import { placedOperations } from '../facts/contract.ts';
import { redocPath } from '../redoc.ts';
import type { SiteFile } from '../site-file.ts';

/**
 * The broken links of the site, as `guides/keys.html: limits.html#bans leads nowhere: …`. Checks links to files of the
 * site and to anchors in them, but neither links to other hosts nor those of the page by Redoc.
 */
export function brokenLinks(files: readonly SiteFile[]): string[] {
  const anchors = anchorsIn(files);
  return files.flatMap((file) =>
    linksOf(file).flatMap((link) => {
      const problem = problemOf(file.path, link, anchors);
      return problem === undefined ? [] : [`${file.path}: ${link} leads nowhere: ${problem}`];
    }),
  );
}

/**
 * The deprecated operations whose `x-deprecation.documentation` is a broken link. Responses link to it, so it must be the
 * anchor of the section about the operation. URLs of other hosts are not checked.
 */
export function brokenDeprecations(files: readonly SiteFile[], contract: ContractDocument): string[] {
  const anchors = anchorsIn(files);
  return placedOperations(contract).flatMap(({ operationId, 'x-deprecation': { documentation = '' } = {} }) => {
    const [, link] = /^\/docs\/?(.*)$/.exec(documentation) ?? [];
    if (link === undefined) return [];
    const problem = link.includes('#')
      ? problemOf('index.html', link, anchors)
      : 'name the anchor of the section about it, such as /docs/guides/versions.html#getnote.';
    return problem === undefined ? [] : [`openapi.yaml: ${documentation} of ${operationId} leads nowhere: ${problem}`];
  });
}

function anchorsIn(files: readonly SiteFile[]): Map<string, Set<string>> {
  return new Map(files.map((file) => [file.path, anchorsOf(file)]));
}

function problemOf(from: string, link: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  if (/^(?:https?:|mailto:|data:)/.test(link)) return undefined;
  if (link.startsWith('/')) return 'links of the site are relative, so that it works in any folder of a host.';
  const [address = '', fragment] = link.split('#');
  const [path = ''] = address.split('?');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  const found = anchors.get(target);
  if (found === undefined) return `the site has no ${target}.`;
  if (fragment === undefined || fragment === '' || found.has(decodeURIComponent(fragment))) return undefined;
  return `${target} has no anchor ${fragment}.`;
}

const scripts = /<script\b[^>]*>[\s\S]*?<\/script>/g;

function anchorsOf({ path, content }: SiteFile): Set<string> {
  if (typeof content !== 'string' || !path.endsWith('.html')) return new Set();
  return new Set([...content.replaceAll(scripts, '').matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
}

function linksOf({ path, content }: SiteFile): string[] {
  if (typeof content !== 'string') return [];
  if (/\.md$|^llms.*\.txt$/.test(path)) return markdownLinks(content);
  if (!path.endsWith('.html') || path === redocPath) return [];
  // A script element may have a URL, but its content is not markup.
  const markup = content.replaceAll(scripts, (whole) => /^<script\b[^>]*>/.exec(whole)?.[0] ?? '');
  return [...markup.matchAll(/ (?:href|src|data-module|data-index)="([^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
}

function markdownLinks(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
  // The anchors of a Markdown file are in its page.
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) =>
    link.replace(/\.md#/, '.html#').replace(/^#.*/, ''),
  );
}
