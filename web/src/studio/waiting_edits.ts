// Edits that were typed while the server did not answer: kept, also over a reload of the page, until they can
// be sent.

import type { DocumentEdit } from "./messages";

const KEY = "rikigaku-waiting-edits";

interface WaitingEdit {
  edit: DocumentEdit;
  /** Ends the wait of the cell: whether the edit was done. */
  done: (sent: boolean) => void;
}

interface Stored {
  text: string;
  edits: DocumentEdit[];
}

export class WaitingEdits {
  /** The text of the document that the edits were typed for. */
  private text = "";
  private list: WaitingEdit[] = [];
  /** Whether the first is on its way to the server. */
  private inFlight = false;

  constructor() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Stored | null;
      if (!stored) return;
      this.text = stored.text;
      this.list = stored.edits.map((edit) => ({ edit, done: () => undefined }));
    } catch {
      sessionStorage.removeItem(KEY);
    }
  }

  get count(): number {
    return this.list.length;
  }

  /** Whether the edits were typed for a document with this text. */
  fit(text: string): boolean {
    return this.text === text;
  }

  /** Keep an edit of the document with this text; resolves when it was sent, or dropped. */
  add(edit: DocumentEdit, text: string): Promise<boolean> {
    if (!this.list.length) this.text = text;
    return new Promise((done) => {
      this.list.push({ edit, done });
      this.store();
    });
  }

  /** Send all in their order; those after one that cannot be sent wait on. send: null where nobody answers. */
  async sendAll(send: (edit: DocumentEdit) => Promise<boolean | null>): Promise<void> {
    while (this.list.length) {
      const first = this.list[0]!;
      this.inFlight = true;
      const sent = await send(first.edit);
      this.inFlight = false;
      if (sent === null || this.list[0] !== first) return;
      this.list.shift();
      this.store();
      first.done(sent);
    }
  }

  /** Take back the last edit; false if none waits, or it is on its way: the server undoes that. */
  dropLast(): boolean {
    if (this.inFlight && this.list.length === 1) return false;
    const last = this.list.pop();
    this.store();
    last?.done(false);
    return last !== undefined;
  }

  dropAll(): void {
    while (this.dropLast());
  }

  private store(): void {
    if (!this.list.length) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ text: this.text, edits: this.list.map(({ edit }) => edit) } satisfies Stored));
  }
}
