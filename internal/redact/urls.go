package redact

// urlDetectors find tokens, codes and signatures in addresses. Such an address is a key by
// itself.
func urlDetectors() []*detector {
	return []*detector{
		{
			kind: KindURLToken, rank: rankOwn, words: []string{"://"}, reach: 300, accept: random,
			compiled: lazily(`[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_~.-]{20,300})(?::[^\s@/]{0,100})?@`),
		},
		{
			kind: KindURLToken, rank: rankOwn, reach: 500, accept: random,
			words:    []string{"sig=", "signature=", "hmac="},
			compiled: lazily(`(?i)[?&;](?:sig|(?:x-(?:amz|goog)-)?signature|hmac)=([A-Za-z0-9%+/=_-]{20,500})`),
		},
		{
			kind: KindURLToken, rank: rankOwn, reach: 500, accept: urlToken,
			words:    []string{"token=", "key=", "code=", "auth=", "secret=", "session=", "ticket=", "sso=", "invite=", "otp="},
			compiled: lazily(`(?i)[?&#](?:code|(?:access|id|refresh|auth|reset|invite|bearer)?_?token|key|api_?key|apikey|auth|(?:client_)?secret|session(?:_?id)?|ticket|sso|invite|otp)=([^\s&"'<>#]{16,500})`),
		},
		{
			kind: KindURLToken, rank: rankOwn, words: []string{"/private-"}, reach: 100,
			compiled: lazily(`/private-([0-9a-f]{24,64})/`),
		},
	}
}

// urlToken accepts what nobody would type, and no id of the usual kind.
func urlToken(m match) bool { return random(m) && !isUUID(m.secret) && !readable(m.secret) }
