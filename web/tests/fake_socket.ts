// A websocket whose server is the test.

export interface SentRequest {
  id: number;
  type: string;
  [field: string]: unknown;
}

export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  static made: FakeSocket[] = [];
  readyState = 0;
  sent: SentRequest[] = [];

  constructor(readonly address: string) {
    super();
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as SentRequest);
  }

  opens(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  breaks(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }

  says(message: object): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }
}
