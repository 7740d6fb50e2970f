/**
 * The API key is in `sessionStorage`: it survives a reload, and is deleted when its tab is closed. It is not in a cookie,
 * so browsers do not send it automatically, and not in `localStorage`, so other tabs and later users of this machine
 * cannot read it.
 */
const place = 'animal-store-key';

export function keptKey(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

export function keepKey(key: string): void {
  sessionStorage.setItem(place, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(place);
}
