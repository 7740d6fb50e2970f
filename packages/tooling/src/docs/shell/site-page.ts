import type { ContractDocument } from '../../contract/document.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';
import { asset } from './assets.ts';
import { favicon, type Section, siteFooter, siteHeader } from './header.ts';
import { escapeHtml, relativeAddress } from './markup.ts';
import { headerPolicy, type PolicySources, pagePolicy } from './policy.ts';

type SitePage = {
  /** The path below the site's root: `errors.html`, `guides/keys.html`. */
  path: string;
  title: string;
  /** One sentence, for search engines and previews. */
  description: string;
  /** The section that it belongs to, which is marked in the header. */
  section?: Section;
  /** HTML of everything below the header. One element in it has the ID `content`, usually the main element. */
  body: string;
  /** HTML of additional elements of the head, such as the page's own script. */
  head?: string;
  /** Sources that the page's policy allows in addition to files of the same host, such as hashes of inline scripts. */
  policy?: PolicySources;
};

const { name } = siteSettings;
const siteName = /\bAPI$/.test(name) ? name : `${name} API`;

/** A page with a form that calls the API: on a static host, the servers of the contract. */
export function pageThatCalls({ servers }: Pick<ContractDocument, 'servers'>, page: SitePage): SiteFile {
  const hosts = [...new Set(servers.map(({ url }) => new URL(url).origin))];
  const file = sitePage({ ...page, policy: { ...page.policy, 'connect-src': hosts } });
  // If the API itself serves the page, there is no other server to call.
  return { ...file, contentSecurityPolicy: headerPolicy(pagePolicy(page.policy)) };
}

/** A page of the site: the common layout around a body. */
export function sitePage({ path, title, description, section, body, head = '', policy = {} }: SitePage): SiteFile {
  const to = (target: string) => relativeAddress(path, target);
  const contentSecurityPolicy = pagePolicy(policy);
  // For chats and social networks. `og:url` and `og:image` must be absolute, and a page does not know its host.
  const preview = Object.entries({ type: 'website', site_name: siteName, title, description }).map(
    ([property, value]) => `<meta property="og:${property}" content="${escapeHtml(value)}">`,
  );
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentSecurityPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${escapeHtml(name)}</title>
<meta name="description" content="${escapeHtml(description)}">
${preview.join('\n')}
<link rel="icon" href="${favicon}">
<script src="${to(asset('colours').path)}"></script>
<link rel="stylesheet" href="${to(asset('style').path)}">
<script type="module" src="${to(asset('script').path)}"></script>
${head}</head>
<body class="site-body">
${siteHeader(path, section)}
${body}
${siteFooter(path)}
</body>
</html>
`;
  return { path, content, contentSecurityPolicy: headerPolicy(contentSecurityPolicy) };
}
