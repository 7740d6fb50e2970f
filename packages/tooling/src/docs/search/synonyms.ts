/**
 * Words that readers use, with the words of these docs for the same thing. Alternatives are separated by `|`. A phrase matches in any
 * order of its words.
 */
const written: Record<string, string> = {
  'pagination|paginate|next page|page size|offset|infinite scroll': 'paging',
  'too many requests|throttled|throttling|rate limiting|quota exceeded': '429',
  'rate limit|quota|plan|pricing': 'limits plans',
  'sdk|library|npm|package|javascript|nodejs|typescript': 'client',
  'support|contact|email|help desk': 'get help',
  'webhook|callback|subscribe|push|realtime|notification|polling|poll': 'events',
  'sandbox|staging|playground|test environment|test server|practice': 'practise',
  'remove|destroy': 'delete',
  'update|edit|modify|patch': 'change animal',
  'create|insert': 'add an animal',
  'sort|sorting|sort order|order by|sorted': 'sorted order entries',
  'cost|amount|currency|money': 'price',
  'picture|image': 'photo',
  'resend|repeat|try again': 'retry',
  'timed out|no response|connection lost|broken connection': 'timeout',
  'authentication|authenticate|authorization|auth|login|log in|sign in|token|credential|api token': 'api keys',
  'permission|role|read only': 'scope',
  'blocked|banned|lockout': 'bans',
  'cross origin|browser|preflight|web page': 'cors',
  'duplicate|double|twice': 'idempotency',
  'conflict|lost update|optimistic locking|concurrency|overwrite': 'conditional requests',
  'cache|caching|cached|304': 'download changed',
  'breaking change|versioning|compatibility': 'versions',
  'buy|purchase|sell|reserve|reservation|checkout|book': 'orders',
  'dog|cat|product|item': 'animals',
  'filter|lookup': 'find animals',
  'field|schema|object|type': 'data model',
  'date|date format|time zone|timezone|timestamp': 'dates times',
  'term|terminology|definition': 'glossary',
  'insomnia|collection|swagger|openapi|golang|go|ruby|csharp|dotnet|rust|kotlin|generator|codegen': 'import',
  'php|language|code example|code sample': 'first call',
  'chatgpt|llm|ai': 'language models',
  'rss|feed|release note|what is new': 'changelog',
  'status code|error code|error handling|exception': 'errors',
  'leaked|compromised|stolen': 'leak',
  'access denied|forbidden': 'scope',
};

/** Each phrase that readers use, with the words of the docs. */
export const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries(written).flatMap(([phrases, meaning]) =>
    phrases.split('|').map((phrase): [string, string] => [phrase, meaning]),
  ),
);
