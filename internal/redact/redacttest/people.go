package redacttest

import "fmt"

// contacts are telephone numbers as they are written in their countries, postal addresses and
// driving licences.
func (m maker) contacts() []Secret {
	d := func(n int) string { return m.str(digit, n) }
	nz := func(n int) string { return m.str("23456789", n) }
	return []Secret{
		in("phone: German mobile", "Jana erreichst du unter %s", "0170 "+nz(4)+d(3)),
		in("phone: German landline", "ruf mich an: %s", "030/"+nz(4)+d(4)),
		in("phone: German, with a dash", "Tel. %s ist das Lager", "089-"+nz(4)+d(3)),
		in("phone: French mobile", "Luc est au %s", "06 "+nz(2)+" "+d(2)+" "+d(2)+" "+d(2)),
		in("phone: British mobile", "text Tom on %s", "07700 "+nz(3)+d(3)),
		in("phone: British landline", "the desk is 020 %s", nz(4)+" "+d(4)),
		in("phone: Spanish mobile", "el móvil de Ana es %s", "6"+nz(2)+" "+d(3)+" "+d(3)),
		in("phone: Italian mobile", "il cellulare di Ugo: %s", "347 "+nz(3)+d(4)),
		in("phone: Brazilian", "liga para (11) %s", "9"+nz(4)+"-"+d(4)),
		in("phone: 00 prefix", "from abroad dial %s", "0049 170 "+nz(4)+d(3)),
		in("phone: extension", "phone (212) 555-%s ext. 12", d(4)),
		in("address: American", "ship it to %s", m.number()+" Maple Street, Springfield, IL 62704"),
		in("address: German", "Lieferung an %s", "Lindenstraße "+m.number()+", 10969 Berlin"),
		in("address: German, short", "er wohnt in der %s", "Goethestr. "+m.number()+", 80336 München"),
		in("address: British", "her flat is %s", m.number()+" Baker Street, London NW1 6XE"),
		in("address: French", "livrer au %s", m.number()+" rue de Rivoli, 75004 Paris"),
		in("address: Spanish", "vive en %s", "Calle de Alcalá "+m.number()+", 28014 Madrid"),
		in("address: Italian", "abita in %s", "Via Garibaldi "+m.number()+", 20121 Milano"),
		in("address: home", "my home address is %s", m.number()+" Elm Grove, Portland, OR 97205"),
		in("licence: American", "driver's license number %s", "D"+d(7)),
		in("licence: British", "driving licence: %s", "MORGA6571"+d(2)+"SM9IJ"),
		in("licence: German", "Führerschein Nr. %s", "B072RRE2I5"+d(1)),
		in("plate", "license plate %s is his car", "B-XK "+d(4)),
		in("personal: maiden name", "mother's maiden name is %s", "Kovalenko"+m.str(lower, 3)),
	}
}

// number is that of a house.
func (m maker) number() string { return fmt.Sprint(12 + m.r.IntN(180)) }

// money is what people earn, owe and pay taxes with.
func (m maker) money() []Secret {
	k := func() string { return fmt.Sprint(41 + m.r.IntN(150)) }
	return []Secret{
		in("salary: yearly", "Tom's salary is %s a year", "$"+k()+",500"),
		in("salary: offer", "they offered me a base of %s plus stock", k()+"k"),
		in("salary: German", "mein Gehalt beträgt %s brutto", k()+".000 Euro"),
		in("salary: earns", "Maria earns %s per month", "€"+k()+"00"),
		in("salary: French", "son salaire est de %s par an", k()+" 000 €"),
		in("tax: VAT of a person", "Steuernummer: %s", m.str("123456789", 2)+"/"+m.str(digit, 3)+"/"+m.str(digit, 5)),
		in("tax: EIN", "our EIN is %s", m.str("123456789", 2)+"-"+m.str(digit, 7)),
		in("bank: BIC and account", "account no. %s at the savings bank", m.str("123456789", 10)),
		in("debt", "he owes the bank %s", "$"+k()+",000"),
	}
}

// employers is what ties a text to somebody's work.
func (m maker) employers() []Secret {
	name := "Zorb" + m.str(lower, 5)
	c := func(s string) string { return string(name[0]) + name[1:] + s }
	return []Secret{
		in("employer: is", "my employer is %s and they own the code", c(" Logistics")),
		in("employer: works for", "I work for %s as a contractor", c(" GmbH")),
		in("employer: works at", "since May I work at %s on billing", c(" Systems")),
		in("employer: employed by", "I am employed by %s until June", c(" Ltd")),
		in("employer: German", "mein Arbeitgeber ist %s in Bremen", c(" AG")),
		in("employer: German verb", "ich arbeite bei %s als Entwickler", c(" GmbH")),
		in("employer: French", "je travaille chez %s à Lyon", c(" SA")),
		in("employer: Spanish", "trabajo para %s desde mayo", c(" SL")),
		in("employer: client", "our client is %s and wants a demo", c(" Insurance")),
		in("employer: staff number", "employee ID: %s", m.str("123456789", 6)),
		in("employer: German staff number", "Personalnummer %s", m.str("123456789", 6)),
		in("employer: boss", "my manager is %s, ask her first", "Petra "+name),
	}
}

// conditions are what is known of a person's health.
func (m maker) conditions() []Secret {
	var out []Secret
	for _, s := range []struct{ kind, sentence, value string }{
		{"pregnant", "Anna is %s, so plan without her", "pregnant"},
		{"months pregnant", "she is %s", "five months pregnant"},
		{"German", "Jana ist %s und fehlt ab Mai", "schwanger"},
		{"stroke", "my father had a %s in March", "stroke"},
		{"miscarriage", "she had a %s last year", "miscarriage"},
		{"sick leave", "Tom is on sick leave because of %s", "burnout"},
		{"allergy", "Maria is %s", "allergic to penicillin"},
		{"German diagnosis", "bei Karl wurde %s diagnostiziert", "Diabetes"},
		{"German illness", "meine Frau hat %s", "Brustkrebs"},
		{"French", "mon fils souffre d'%s", "asthme"},
		{"Spanish", "mi hermana tiene %s", "diabetes"},
		{"blood", "blood type: %s", "AB negative"},
		{"disabled", "his degree of disability is %s", "50 %"},
		{"therapy", "I see a %s on Thursdays", "psychotherapist"},
		{"test", "he tested %s on Monday", "positive for HIV"},
		{"operation", "she is recovering from %s", "heart surgery"},
	} {
		out = append(out, in("health: "+s.kind, s.sentence, s.value))
	}
	return out
}
