// The host of a report: everything is in the file, nothing can be asked.

import type { PageDocument } from "../document/model_document";
import { NotAvailable, type Host } from "./host";

export class ReportHost implements Host {
  readonly kind = "report";

  /** The document is in the JSON block with this id. */
  constructor(private readonly id = "rikigaku-document") {}

  async document(): Promise<PageDocument> {
    const block = document.getElementById(this.id);
    if (!block?.textContent) throw new Error(`The page has no data block '${this.id}'.`);
    return JSON.parse(block.textContent) as PageDocument;
  }

  watch(): () => void {
    return () => undefined;
  }

  ask<Answer>(request: string): Promise<Answer> {
    return Promise.reject(new NotAvailable(request, this.kind));
  }

  can(): boolean {
    return false;
  }
}
