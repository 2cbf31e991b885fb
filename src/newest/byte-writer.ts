/** The memory that a writer keeps at most, in bytes. */
const keptBytes = 4_194_304;

/** Writes bytes one after another into memory that it keeps, so that writing makes little garbage. */
export class ByteWriter {
  #bytes = Buffer.alloc(65_536);
  /** How many bytes were written. Set it after writing into the memory of {@link reserve}. */
  length = 0;

  /** Forgets the bytes. */
  clear(): void {
    this.length = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.alloc(keptBytes);
  }

  /** Copies bytes. */
  write(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The memory, with room for `count` more bytes at {@link length}. Valid until more room is needed. */
  reserve(count: number): Buffer {
    const needed = this.length + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    return this.#bytes;
  }

  /** A copy of the bytes. */
  copy(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.length));
  }
}
