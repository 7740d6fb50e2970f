import { dig } from '../common/json.ts';

type Server = { url?: unknown; variables?: unknown };

/** The URL of a server, which may be relative, with the defaults of its variables. One without a default stays in braces. */
export function urlOf({ url, variables }: Server): string {
  return String(url).replaceAll(/\{([^{}]+)\}/g, (variable, name) =>
    String(dig(variables, name, 'default') ?? variable),
  );
}

/** The path of a server's URL, without a slash at its end: `/v1`, or empty. Undefined if it is no URL, such as `https://<your host>`. */
export function pathOfServer(server: Server): string | undefined {
  // A relative URL has any origin.
  const url = URL.parse(urlOf(server).replaceAll(/[{}]/g, ''), 'http://localhost');
  return url?.pathname.replace(/\/+$/, '');
}
