/** Parts of a request's address, which is whatever the caller put into its Host: it need not be a URL. Pure. */

export const queryIn = (url: string): URLSearchParams => {
	const mark = url.indexOf('?');
	return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
};

/** Empty where the Host is none: an address without a host is then relative. */
export const originIn = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');
