/** Can anybody on the way read what a page is sent? Over `http:` they can, but to this machine itself. Pure. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean => LOOPBACK.has(hostname);

export const isInClear = (url: URL): boolean => url.protocol !== 'https:' && !isLoopback(url);
