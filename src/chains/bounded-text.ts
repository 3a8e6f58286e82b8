/** An answer's text, and no more of it than was agreed: a peer that sends without end is left. */

/**
 * Whoever asked bounds the time: the signal of the request holds for the body too.
 * @throws Error when there are more than `maxBytes`, unpacked.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
	if (!response.body) return '';
	const decoder = new TextDecoder();
	let text = '';
	let bytes = 0;
	// Leaving the loop early cancels the stream, and with it the download.
	for await (const chunk of response.body) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
		text += decoder.decode(chunk, { stream: true });
	}
	return text + decoder.decode();
}
