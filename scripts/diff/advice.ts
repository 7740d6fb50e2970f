/** What to do instead of a breaking change, by the rule that found it. */
const advice: Readonly<Record<string, string>> = {
  'default-changed': 'Keep the default, or add another parameter.',
  'enum-values-added': 'Clients do not know the value: give it in a new property.',
  'enum-values-removed': 'Keep the values; a description may call one obsolete.',
  'error-code-status-changed': 'Add a new code.',
  'limit-lowered': 'Keep the limit, or raise it.',
  'media-type-removed': 'Keep the media type beside the new one.',
  'one-way': 'Keep it both ways, and add a property.',
  'operation-id-changed': 'Keep the operationId: it is a name in the code of clients.',
  'operation-removed': 'Keep it, and deprecate it with a sunset; after that it may go.',
  'parameter-became-required': 'Make it optional, with what happens when it is left out.',
  'parameter-removed': 'Keep it, as deprecated.',
  'parameter-serialization-changed': 'Keep the way it is written.',
  'property-removed': 'Keep it, as deprecated.',
  'request-body-became-required': 'Keep the body optional.',
  'request-body-removed': 'Keep the body, optional.',
  'required-properties-added': 'Make it optional, with what happens when it is left out.',
  'required-properties-removed': 'Keep sending it in every reply.',
  'response-header-no-longer-required': 'Keep sending it in every reply.',
  'response-header-removed': 'Keep sending it.',
  'response-removed': 'Keep the status.',
  'schema-combinator-changed': 'Keep the schema, and add a property or an operation.',
  'schema-constraint-changed': 'Keep the bound: a request may only be allowed more, a reply only hold less.',
  'schema-type-changed': 'Keep the type, and add a property of the new one.',
  'security-requirement-changed': 'Keep what callers send today enough.',
  'security-scheme-changed': 'Keep the scheme, and add another one.',
  'server-removed': 'Keep the address.',
  'stable-became-beta': 'Take x-stability away, or add a new operation that is beta.',
  'sunset-too-soon': 'Announce a later date.',
  'sunset-earlier': 'Keep the date, or put it off.',
};

export function adviceFor(rule: string): string {
  return advice[rule] ?? 'Keep it as it was, and add something beside it.';
}
