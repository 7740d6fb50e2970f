import { project } from '../../project.ts';
import { escapeHtml } from '../shell/markup.ts';

/**
 * The preview that chats and social networks show for a link. Both `og:url` and `og:image` must be absolute, and a page
 * does not know its host, so they are left out: the link itself is the URL.
 */
export function openGraph({ title, description }: { title: string; description: string }): string {
  const properties = { type: 'website', site_name: `${project.title} API`, title, description };
  return Object.entries(properties)
    .map(([name, content]) => `<meta property="og:${name}" content="${escapeHtml(content)}">`)
    .join('\n');
}
