// Laws of a robot as a WebAssembly module: functions of float64 arrays, described by the section "rikigaku".

export interface Port {
  name: string;
  shape: number[];
}

export interface LawSignature {
  inputs: Port[];
  outputs: Port[];
}

/** A law: call it with one array for each input; the result is valid until the next call of the same law. */
export interface Law {
  readonly signature: LawSignature;
  readonly shape: number[];
  (...inputs: ArrayLike<number>[]): Float64Array;
}

const sizeOf = (port: Port): number => port.shape.reduce((a, b) => a * b, 1);
const total = (ports: Port[]): number => ports.reduce((sum, port) => sum + sizeOf(port), 0);

export class LawModule {
  private readonly laws = new Map<string, Law>();

  private constructor(instance: WebAssembly.Instance, signatures: Record<string, LawSignature>) {
    const memory = instance.exports["memory"] as WebAssembly.Memory;
    let next = (instance.exports["heap_base"] as WebAssembly.Global).value as number;
    const places = Object.entries(signatures).map(([name, signature]) => {
      const inputs = next;
      const outputs = inputs + 8 * total(signature.inputs);
      next = outputs + 8 * total(signature.outputs);
      return { name, signature, inputs, outputs };
    });
    const missing = next - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    for (const { name, signature, inputs, outputs } of places) {
      const run = instance.exports[name] as (inputs: number, outputs: number) => void;
      const given = new Float64Array(memory.buffer, inputs, total(signature.inputs));
      const result = new Float64Array(memory.buffer, outputs, total(signature.outputs));
      const starts: number[] = [];
      signature.inputs.reduce((at, port) => (starts.push(at), at + sizeOf(port)), 0);
      const call = (...values: ArrayLike<number>[]): Float64Array => {
        for (let k = 0; k < starts.length; k++) given.set(values[k]!, starts[k]);
        run(inputs, outputs);
        return result;
      };
      this.laws.set(name, Object.assign(call, { signature, shape: signature.outputs[0]?.shape ?? [] }));
    }
  }

  /** The module of its bytes. Large modules are compiled beside the page's own work. */
  static async of(bytes: BufferSource): Promise<LawModule> {
    const module = await WebAssembly.compile(bytes);
    const section = WebAssembly.Module.customSections(module, "rikigaku")[0];
    if (!section) throw new Error("This WebAssembly module has no section 'rikigaku': it holds no laws.");
    const { laws } = JSON.parse(new TextDecoder().decode(section)) as { laws: Record<string, LawSignature> };
    return new LawModule(await WebAssembly.instantiate(module), laws);
  }

  has(name: string): boolean {
    return this.laws.has(name);
  }

  /** The law of that name, or undefined where the robot has none. */
  find(name: string): Law | undefined {
    return this.laws.get(name);
  }

  law(name: string): Law {
    const law = this.laws.get(name);
    if (!law) throw new Error(`There is no law '${name}'. Known: ${[...this.laws.keys()].join(", ")}.`);
    return law;
  }
}

/** The bytes of base64 text. */
export function decoded(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}
