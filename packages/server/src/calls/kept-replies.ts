import type { OutgoingReply } from '../reply/reply.ts';

/** Characters of JSON that are kept at once, some 8 MB. */
const CAPACITY = 8_000_000;

/** What a reply takes beside its JSON and its address: there are many that are nearly empty. */
const BESIDE = 400;

/** Replies made of what is stored, kept until the next write: whoever reads the same again gets the same. */
export class KeptReplies {
  readonly #replies = new Map<string, OutgoingReply>();
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
    const size = BESIDE + address.length + (reply.json?.length ?? 0);
    if (size > this.#capacity) return;
    if (version !== this.#version || this.#size + size > this.#capacity) this.#startAnew(version);
    this.#replies.set(address, reply);
    this.#size += size;
  }

  #startAnew(version: number): void {
    this.#replies.clear();
    this.#size = 0;
    this.#version = version;
  }
}
