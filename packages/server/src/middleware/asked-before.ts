const PLACES = 8_192;

/** Characters of an address that anybody needs; one may be as long as all headers, and would be kept at that length. */
const LONGEST = 512;

/**
 * Remembers roughly which addresses were asked for lately, in 32 KiB and however many there are. What is worth keeping of a
 * request is only what another one will want, and most addresses that are asked for once are never asked for again.
 */
export class AskedBefore {
  /** At the place that belongs to an address, the hash of the last one that came there. */
  readonly #hashes = new Int32Array(PLACES);

  /** Whether the address was asked for lately. It was, the next time, unless it is too long. Seldom, two are taken for one. */
  note(address: string): boolean {
    if (address.length > LONGEST) return false;
    const hash = hashOf(address);
    const place = hash & (PLACES - 1);
    if (this.#hashes[place] === hash) return true;
    this.#hashes[place] = hash;
    return false;
  }
}

/** FNV-1a: cheap, and no two addresses of a kind are near each other. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}
