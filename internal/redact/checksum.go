package redact

import "strings"

// luhn checks the sum that card numbers and Canadian insurance numbers carry.
func luhn(s string) bool {
	sum, double := 0, false
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] < '0' || s[i] > '9' {
			continue
		}
		d := int(s[i] - '0')
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		double = !double
	}
	return sum%10 == 0
}

// ibanLengths are the lengths of the account numbers of each country.
const ibanLengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 " +
	"EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 " +
	"LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 " +
	"RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"

// validIBAN checks the country's length and the remainder by 97.
func validIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 {
		return false
	}
	i := strings.Index(ibanLengths, s[:2])
	if i < 0 || i%5 != 0 || atoi(ibanLengths[i+2:i+4]) != len(s) {
		return false
	}
	return mod97(s[4:]+s[:4]) == 1
}

func mod97(s string) int {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			n = (n*10 + int(c-'0')) % 97
		case 'A' <= c && c <= 'Z':
			n = (n*100 + int(c-'A') + 10) % 97
		}
	}
	return n
}

// validABA checks a routing number of the United States.
func validABA(s string) bool {
	sum := 0
	for i, w := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		sum += w * int(s[i]-'0')
	}
	return sum%10 == 0 && s != "000000000"
}

// validNIR checks a French social security number; Corsica's letters count as 19 and 18.
func validNIR(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	s = strings.NewReplacer("2A", "19", "2B", "18").Replace(s)
	if len(s) != 15 || digits(s) != 15 {
		return false
	}
	return 97-mod97(s[:13]) == atoi(s[13:])
}

// validCodiceFiscale checks the last letter of an Italian tax code.
func validCodiceFiscale(s string) bool {
	odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i := range 15 {
		v := int(s[i] - '0')
		if s[i] >= 'A' {
			v = int(s[i] - 'A')
		}
		if i%2 == 0 {
			v = odd[v]
		}
		sum += v
	}
	return byte('A'+sum%26) == s[15]
}

// validSteuerID checks a German tax identification number (ISO 7064, modulo 11 and 10).
func validSteuerID(s string) bool {
	s = onlyDigits(s)
	if len(s) != 11 || s[0] == '0' {
		return false
	}
	product := 10
	for i := range 10 {
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return (11-product)%10 == int(s[10]-'0')
}

// validDNI checks the letter of a Spanish identity number, also of a foreigner's.
func validDNI(s string) bool {
	s = strings.ToUpper(strings.ReplaceAll(s, "-", ""))
	if i := strings.IndexByte("XYZ", s[0]); i >= 0 {
		s = string(rune('0'+i)) + s[1:]
	}
	if len(s) != 9 {
		return false
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[atoi(s[:8])%23] == s[8]
}

// validBSN checks a Dutch citizen service number.
func validBSN(s string) bool {
	if len(s) == 8 {
		s = "0" + s
	}
	sum := 0
	for i := range 8 {
		sum += (9 - i) * int(s[i]-'0')
	}
	return (sum-int(s[8]-'0'))%11 == 0
}

// validPESEL checks a Polish number.
func validPESEL(s string) bool {
	sum := 0
	for i, w := range []int{1, 3, 7, 9, 1, 3, 7, 9, 1, 3} {
		sum += w * int(s[i]-'0')
	}
	return (10-sum%10)%10 == int(s[10]-'0')
}

// validNHS checks a number of the National Health Service.
func validNHS(s string) bool {
	s = onlyDigits(s)
	if len(s) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	return (11-sum%11)%11 == int(s[9]-'0')
}
