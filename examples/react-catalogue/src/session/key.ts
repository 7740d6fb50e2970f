/**
 * The API key lives in `sessionStorage`: it outlives a reload, and is gone when its tab is closed. It is in no cookie, so
 * nothing sends it by itself, and in no `localStorage`, so no other tab and no later visitor of this machine has it.
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
