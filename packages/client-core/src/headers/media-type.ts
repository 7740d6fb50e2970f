/** Whether a media type is JSON: `application/json`, `application/merge-patch+json`, ... */
export function isJson(mediaType: string): boolean {
  return /[/+]json\b/i.test(mediaType);
}
