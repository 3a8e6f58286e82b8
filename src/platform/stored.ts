/** A part of a Durable Object: it has the storage of the object. */
export class Stored {
	protected readonly storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.storage = storage;
	}
}
