// <partner-exchange-widget partner="ID" from="LTC" to="ETH" amount="2" lang="de">: a partner's widget in a frame of 400 × 640
// pixels, narrower where there is less room. Nothing passes between the frame and this page: not a message, not a token.
const { origin } = new URL(document.currentScript.src);
const ASKED = ['from', 'to', 'amount', 'lang'];

class PartnerExchangeWidget extends HTMLElement {
	static observedAttributes = ['partner', 'label', ...ASKED];
	#frame = null;

	connectedCallback() {
		if (this.#frame) return;
		this.#frame = document.createElement('iframe');
		Object.assign(this.#frame, { width: 400, height: 640, referrerPolicy: 'no-referrer', loading: 'lazy' });
		Object.assign(this.#frame.style, { border: 0, maxWidth: '100%', colorScheme: 'light dark' });
		this.attachShadow({ mode: 'closed' }).append(this.#frame);
		this.attributeChangedCallback();
	}

	attributeChangedCallback() {
		if (!this.#frame) return;
		const address = new URL(`/widget/${encodeURIComponent(this.getAttribute('partner') ?? '')}`, origin);
		for (const name of ASKED) if (this.hasAttribute(name)) address.searchParams.set(name, this.getAttribute(name));
		this.#frame.title = this.getAttribute('label') ?? 'Swap';
		if (this.#frame.src !== address.href) this.#frame.src = address.href;
	}
}

if (!customElements.get('partner-exchange-widget'))
	customElements.define('partner-exchange-widget', PartnerExchangeWidget);
