/** A table as it is moved: its columns with their types there, and how to go on after a stop. */
export type MovedTable = {
  name: string;
  columns: Readonly<Record<string, 'bigint' | 'text' | 'bytea'>>;
  /** What rows are known by. */
  key: string;
  /**
   * Whether rows only come to the end, with ascending ids, so that a move goes on after the last one. The others are
   * small, and moved again from the first row, each in the place of what is there.
   */
  growsAtTheEnd: boolean;
  /** What is counted and compared at the end; the status changes, so its values are counted apart. */
  countedBy?: string;
};

/** In the order in which they refer to each other. */
export const movedTables: readonly MovedTable[] = [
  {
    name: 'pets',
    columns: { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text' },
    key: 'id',
    growsAtTheEnd: true,
    countedBy: 'status',
  },
  {
    name: 'orders',
    columns: { id: 'bigint', key_id: 'text', pet_id: 'bigint', status: 'text', created_at: 'bigint' },
    key: 'id',
    growsAtTheEnd: true,
    countedBy: 'status',
  },
  {
    name: 'keys',
    columns: {
      id: 'text',
      plan: 'text',
      name: 'text',
      per_minute: 'bigint',
      per_day: 'bigint',
      created_at: 'bigint',
      expires_at: 'bigint',
      revoked_at: 'bigint',
    },
    key: 'id',
    growsAtTheEnd: false,
  },
  {
    name: 'secrets',
    columns: { hash: 'bytea', key_id: 'text', hint: 'text', created_at: 'bigint', expires_at: 'bigint' },
    key: 'hash',
    growsAtTheEnd: false,
  },
  {
    name: 'kept_replies',
    columns: {
      key_id: 'text',
      idempotency_key: 'text',
      fingerprint: 'text',
      status: 'bigint',
      headers: 'text',
      body: 'text',
      kept_at: 'bigint',
    },
    key: 'key_id, idempotency_key',
    growsAtTheEnd: false,
  },
  {
    name: 'usage',
    columns: {
      key_id: 'text',
      minute: 'bigint',
      minute_used: 'bigint',
      day: 'bigint',
      day_used: 'bigint',
      bans: 'bigint',
      banned_until: 'bigint',
    },
    key: 'key_id',
    growsAtTheEnd: false,
  },
];
