import type { OutgoingReply } from '../reply/reply.ts';

/** Characters of JSON that are kept at once, some 8 MB. */
const CAPACITY = 8_000_000;

/** Addresses that are remembered, some 500 kB. */
const ADDRESSES = 4_000;

/**
 * Replies made of what is stored, kept until the next write: whoever reads the same again gets the same. Only of addresses
 * that were asked for before, since most that are asked for once are never asked for again.
 */
export class KeptReplies {
  readonly #replies = new Map<string, OutgoingReply>();
  readonly #askedBefore = new Set<string>();
  readonly #capacity: number;
  #size = 0;
  #version: number | undefined = undefined;

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  /** @param version of what is stored now */
  find(version: number, address: string): OutgoingReply | undefined {
    return version === this.#version ? this.#replies.get(address) : undefined;
  }

  /** @param version of what was stored before the reply was made, so that a write meanwhile makes it an old one */
  keep(version: number, address: string, reply: OutgoingReply): void {
    if (!this.#askedBefore.has(address)) return this.#noteAsked(address);
    const size = address.length + (reply.json?.length ?? 0);
    if (version !== this.#version || this.#size + size > this.#capacity) this.#startAnew(version);
    this.#replies.set(address, reply);
    this.#size += size;
  }

  #noteAsked(address: string): void {
    if (this.#askedBefore.size >= ADDRESSES) this.#askedBefore.clear();
    this.#askedBefore.add(address);
  }

  #startAnew(version: number): void {
    this.#replies.clear();
    this.#size = 0;
    this.#version = version;
  }
}
