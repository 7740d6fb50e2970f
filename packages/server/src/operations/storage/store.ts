/** The interface through which operations read and write. Each table has a file in this folder, with its SQL for both engines. */
import type { Send } from '@contract-first/service/storage';
import type { Dialect } from './dialect.ts';
import { type OrderReader, type OrderWriter, orders } from './orders.ts';
import { type PetReader, type PetWriter, pets } from './pets.ts';

export interface Reader extends PetReader, OrderReader {}

/** Reading and changing inside one transaction. Everything that it finds by ID stays the same until the transaction ends. */
export interface Writer extends PetWriter, OrderWriter {}

export type PetStore = { reader: Reader; writer: Writer };

/** The store on one engine. */
export function storeOn(dialect: Dialect) {
  const tables = { pets: pets(dialect), orders: orders(dialect) };
  return {
    statements: Object.values(tables).flatMap(({ sql }) => Object.values(sql)),
    reader: (send: Send): Reader => ({ ...tables.pets.reader(send), ...tables.orders.reader(send) }),
    writer: (send: Send): Writer => ({ ...tables.pets.writer(send), ...tables.orders.writer(send) }),
  };
}
