/** More than one object, or what could be a number that JSON.parse reads as another: with 16 digits, a fraction or `-0`. */
const needsCare = /^[^{]|.[[{]|\d[.eE]|\d{16}|-0/s;

/**
 * The object that a JSON text says, where JSON.parse is sure to read what the careful reader would; undefined otherwise, for
 * texts that are not JSON as well. Nearly all bodies are such, and it takes a quarter of the time.
 */
export function parsePlain(text: string): object | undefined {
  if (needsCare.test(text)) return undefined;
  const object = parseOrNothing(text);
  if (object === undefined) return undefined;
  // JSON.parse keeps one of two properties with the same name. A colon within a text is one too many as well.
  return Object.keys(object).length === text.split(':').length - 1 ? object : undefined;
}

function parseOrNothing(text: string): object | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
