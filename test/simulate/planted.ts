/** Bugs that are planted by hand, to see that the simulator finds them. */
export interface Planted {
	/** Below `src`. */
	readonly file: string;
	readonly from: string;
	readonly to: string;
}
