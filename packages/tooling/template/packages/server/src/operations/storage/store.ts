/** What operations read from the database. */
export interface Reader {
  /** The number of notes, as an example of a method. Replace it by your own. */
  countNotes(): Promise<number>;
}

/** What operations write. */
export interface Writer extends Reader {
  addNote(text: string): Promise<void>;
}

export type MyApiStore = { reader: Reader; writer: Writer };
